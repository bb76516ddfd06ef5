// The files that were chosen on this page, with their progress.
import { number } from "web/format";
import { Icon } from "web/ui/icons";
import { Panel } from "web/ui/table";
import { fileHref } from "./files";
import { sizeText } from "./rules";
import { drop, isDone, lastWords, type Phase, retry, type Upload, uploads } from "./uploads";

const percent = (share: number): number => Math.floor(share * 100);

function words(phase: Phase): string {
  switch (phase.at) {
    case "waiting":
      return "Waits for the others";
    case "reading":
      return `Reading, ${percent(phase.share)} %`;
    case "announcing":
      return "Asking where to";
    case "uploading":
      return `Uploading, ${percent(phase.share)} %`;
    case "analysing":
      return phase.isClaimed ? "Counting words" : "Waiting for a worker";
    case "completed":
      return `${number(phase.result.totalWords)} words, ${number(phase.result.uniqueWords)} different ones`;
    case "failed":
      return phase.why;
  }
}

function Progress({ name, phase }: { name: string; phase: Phase }) {
  const share = phase.at === "reading" || phase.at === "uploading" ? phase.share : undefined;
  if (share === undefined) return <div class="loading" role="progressbar" aria-label={`${name}: ${words(phase)}`} />;
  const what = phase.at === "reading" ? "Reading" : "Uploading";
  return (
    <div class="bar" role="progressbar" aria-label={`${what} ${name}`} aria-valuemin={0} aria-valuemax={100} aria-valuenow={percent(share)}>
      <i style={{ width: `${share * 100}%` }} />
    </div>
  );
}

function Row({ upload }: { upload: Upload }) {
  const phase = upload.phase.value;
  const { name } = upload.file;
  const dismissal = isDone(upload) ? `Remove ${name} from this list` : phase.at === "analysing" ? `Hide ${name}; its words are counted anyway` : `Cancel ${name}`;
  return (
    <li class={`upload ${phase.at}`}>
      <div class="about">
        <span class="file-name">
          {phase.at === "completed" ? <a href={fileHref(upload.fileId ?? "")}>{name}</a> : <strong>{name}</strong>}
          <span class="quiet small"> {sizeText(upload.file.size)}</span>
        </span>
        <span class="state small" role={phase.at === "failed" ? "alert" : undefined}>
          {words(phase)}
          {phase.at === "completed" && phase.isOld && <span class="quiet"> · analysed before</span>}
        </span>
        {!isDone(upload) && <Progress name={name} phase={phase} />}
      </div>
      <div class="row">
        {phase.at === "failed" && phase.mayRetry && (
          <button class="button small" type="button" aria-label={`Try again: ${name}`} onClick={() => retry(upload)}>
            <Icon name="refresh" />
            Try again
          </button>
        )}
        <button class="button plain small" type="button" aria-label={dismissal} title={dismissal} onClick={() => drop(upload)}>
          <Icon name="close" />
        </button>
      </div>
    </li>
  );
}

export function UploadList() {
  const spoken = (
    <p class="visually-hidden" role="status">
      {lastWords.value}
    </p>
  );
  if (uploads.value.length === 0) return spoken;
  const done = uploads.value.filter(isDone);
  const end = done.length > 1 && (
    <button class="button small" type="button" onClick={() => done.forEach(drop)}>
      Clear the list
    </button>
  );
  return (
    <Panel title="Uploads" end={end} flush>
      {spoken}
      <ul class="uploads">
        {uploads.value.map((upload) => (
          <Row key={upload.id} upload={upload} />
        ))}
      </ul>
    </Panel>
  );
}
