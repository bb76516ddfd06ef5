// The stars that a person gives a site, with a note.
import * as catalogue from "generated/fus-main";
import { useId, useState } from "preact/hooks";
import { service, session } from "web/session";
import { Field } from "web/ui/form";
import { Icon } from "web/ui/icons";
import { say } from "web/ui/toast";
import { inWords } from "./catalogue";

const meanings = ["", "Poor", "Fair", "Good", "Very good", "Excellent"];

export function RateForm({ site, rating, onChanged }: { site: string; rating: catalogue.Rating | undefined; onChanged: () => void }) {
  const [stars, setStars] = useState(Number(rating?.stars.toString() ?? 0));
  const [note, setNote] = useState(rating?.note ?? "");
  const [wrong, setWrong] = useState("");
  const [isBusy, setBusy] = useState(false);
  const group = useId();
  const user = session.value?.user;
  const send = (act: () => Promise<unknown>, done: string): void => {
    setWrong("");
    setBusy(true);
    act().then(
      () => (setBusy(false), say(done), onChanged()),
      (error) => (setBusy(false), setWrong(inWords(error))),
    );
  };
  const submit = (event: Event): void => {
    event.preventDefault();
    if (stars === 0) return setWrong("Choose one to five stars.");
    send(() => catalogue.rateSite(service, { site, user, stars, note: note.trim() || undefined }), "Your rating is saved.");
  };
  return (
    <form class="stack" onSubmit={submit}>
      <fieldset class="choose-stars">
        <legend class="visually-hidden">Stars</legend>
        {[1, 2, 3, 4, 5].map((one) => (
          <label key={one} class={one <= stars ? "on" : ""} title={meanings[one]}>
            <input class="visually-hidden" type="radio" name={group} value={one} checked={one === stars} onChange={() => setStars(one)} />
            <Icon name="star" />
            <span class="visually-hidden">{one === 1 ? "1 star" : `${one} stars`}</span>
          </label>
        ))}
        <span class="quiet small" aria-hidden="true">
          {meanings[stars]}
        </span>
      </fieldset>
      <Field label="Note" hint="Only you and the managers see it" wrong={wrong}>
        {(id) => <textarea {...id} name="note" rows={2} maxLength={5000} value={note} onInput={(e) => setNote(e.currentTarget.value)} />}
      </Field>
      <div class="row">
        <button class="button primary" type="submit" disabled={isBusy}>
          {rating ? "Save my rating" : "Rate"}
        </button>
        {rating && (
          <button class="button plain danger" type="button" disabled={isBusy} onClick={() => send(() => catalogue.removeRating(service, { site, user }), "Your rating is taken back.")}>
            Take it back
          </button>
        )}
      </div>
    </form>
  );
}
