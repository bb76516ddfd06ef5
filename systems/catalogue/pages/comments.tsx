// Comments: written, edited and deleted by their authors, and deleted by moderators.
import * as catalogue from "generated/fus-main";
import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { moment } from "web/format";
import { usePages } from "web/load";
import { mayForAll } from "web/rights";
import { service, session } from "web/session";
import { Confirm } from "web/ui/dialog";
import { Field } from "web/ui/form";
import { loginPage } from "web/ui/frame";
import { Panel, Problem } from "web/ui/table";
import { say } from "web/ui/toast";
import { inWords } from "./catalogue";

/** A comment, of its author or as it lies under its site: both have these fields. */
export interface Shown {
  site: string;
  comment: string;
  user: string;
  body: string;
  createdAt: string;
  updatedAt?: string | undefined;
}

export function SiteComments({ site, again }: { site: catalogue.Site; again: () => void }) {
  const pages = usePages((page) => catalogue.commentsForSitePage(service, { site: site.site }, page), [site.site, site.commentCount.toString()]);
  const changed = (): void => (pages.again(), again());
  return (
    <Panel title={site.commentCount.toString() === "0" ? "Comments" : `Comments (${site.commentCount})`}>
      <div class="stack">
        {session.value?.user ? (
          <Write site={site.site} onWritten={changed} />
        ) : (
          <p>
            <a href={loginPage()}>Log in</a> to comment.
          </p>
        )}
        {pages.error && <Problem error={pages.error} again={pages.again} />}
        {pages.items.length === 0 && !pages.isLoading && !pages.error && <p class="quiet">Nobody has commented yet.</p>}
        <Comments comments={pages.items} onChanged={changed} />
        {pages.more && (
          <button class="button" type="button" onClick={pages.more}>
            Show more
          </button>
        )}
      </div>
    </Panel>
  );
}

function Write({ site, onWritten }: { site: string; onWritten: () => void }) {
  const [body, setBody] = useState("");
  const [wrong, setWrong] = useState("");
  // The id is made here, so that sending the same text again after a lost answer does not write it twice.
  const [comment, setComment] = useState<string>(() => crypto.randomUUID());
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!body.trim()) return setWrong("Type a comment.");
    setWrong("");
    catalogue.addComment(service, { site, comment, user: session.value?.user, body: body.trim() }).then(
      () => (setBody(""), setComment(crypto.randomUUID()), say("Your comment is there."), onWritten()),
      (error) => (error instanceof catalogue.Refused && error.refusal === "ALREADY_EXISTS" ? (setBody(""), setComment(crypto.randomUUID()), onWritten()) : setWrong(inWords(error))),
    );
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="Your comment" wrong={wrong}>
        {(id) => <textarea {...id} name="body" rows={3} maxLength={10000} value={body} onInput={(e) => setBody(e.currentTarget.value)} />}
      </Field>
      <div class="row">
        <button class="button primary" type="submit">
          Comment
        </button>
      </div>
    </form>
  );
}

export function Comments({ comments, onChanged, about }: { comments: Shown[]; onChanged: () => void; about?: (comment: Shown) => ComponentChildren }) {
  if (comments.length === 0) return null;
  return (
    <ul class="comments">
      {comments.map((one) => (
        <One key={`${one.user} ${one.site} ${one.comment}`} comment={one} about={about?.(one)} onChanged={onChanged} />
      ))}
    </ul>
  );
}

function One({ comment, about, onChanged }: { comment: Shown; about: ComponentChildren; onChanged: () => void }) {
  const [open, setOpen] = useState<"edit" | "delete" | undefined>(undefined);
  const isOwn = comment.user === session.value?.user;
  const { user, site, comment: id } = comment;
  const remove = (): void => {
    catalogue.removeComment(service, { user, site, comment: id }).then(
      () => (say(isOwn ? "Your comment is deleted." : `The comment of ${user} is deleted.`), onChanged()),
      (error) => say(inWords(error), { isBad: true }),
    );
  };
  const isChanged = comment.updatedAt !== undefined && comment.updatedAt !== comment.createdAt;
  return (
    <li>
      <span class="avatar" aria-hidden="true">
        {user.slice(0, 1)}
      </span>
      <div class="said">
        <div class="row">
          <strong>{user}</strong>
          {about}
          <span class="quiet small">
            <time dateTime={comment.createdAt}>{moment(comment.createdAt)}</time>
            {isChanged && " · edited"}
          </span>
        </div>
        {open === "edit" ? (
          <Edit comment={comment} onClose={() => setOpen(undefined)} onSaved={onChanged} />
        ) : (
          <>
            <p class="body">{comment.body}</p>
            {(isOwn || mayForAll("removeComment")) && (
              <div class="row acts">
                {isOwn && (
                  <button class="button plain small" type="button" onClick={() => setOpen("edit")}>
                    Edit
                  </button>
                )}
                <button class="button plain small danger" type="button" onClick={() => setOpen("delete")}>
                  Delete
                </button>
              </div>
            )}
          </>
        )}
      </div>
      {open === "delete" && (
        <Confirm title={isOwn ? "Delete your comment?" : `Delete the comment of ${user}?`} text="It cannot be restored." yes="Delete" onClose={() => setOpen(undefined)} onYes={remove} />
      )}
    </li>
  );
}

function Edit({ comment, onClose, onSaved }: { comment: Shown; onClose: () => void; onSaved: () => void }) {
  const [body, setBody] = useState(comment.body);
  const [wrong, setWrong] = useState("");
  const submit = (event: Event): void => {
    event.preventDefault();
    if (!body.trim()) return setWrong("Type a comment, or delete it.");
    const { user, site, comment: id } = comment;
    catalogue.editComment(service, { user, site, comment: id, body: body.trim() }).then(
      () => (onClose(), onSaved()),
      (error) => setWrong(inWords(error)),
    );
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="Your comment" wrong={wrong}>
        {(id) => <textarea {...id} name="body" rows={3} maxLength={10000} autofocus value={body} onInput={(e) => setBody(e.currentTarget.value)} />}
      </Field>
      <div class="row">
        <button class="button primary small" type="submit">
          Save
        </button>
        <button class="button small" type="button" onClick={onClose}>
          Cancel
        </button>
      </div>
    </form>
  );
}
