// The files of an owner, the newest first: those of this browser, or of somebody who told their name.
import type { OwnerHistory } from "generated/text-analyzer-history";
import { useState } from "preact/hooks";
import { moment } from "web/format";
import { useLoad } from "web/load";
import { Badge, Empty, Panel, Problem, Table } from "web/ui/table";
import { ChooseFiles, DropZone } from "./drop_zone";
import { fileHref, momentOf, news, newestFiles, type Status } from "./files";
import { ownerId, shownOwner } from "./owner";
import { UploadList } from "./upload_list";

const pageSize = 20;

const states: Record<Status, { name: string; kind: "good" | "warn" | "bad" | undefined }> = {
  PENDING: { name: "Not uploaded yet", kind: undefined },
  IN_PROGRESS: { name: "Counting words", kind: "warn" },
  COMPLETED: { name: "Analysed", kind: "good" },
  FAILED: { name: "Failed", kind: "bad" },
};

export function State({ status }: { status: Status }) {
  return <Badge kind={states[status].kind}>{states[status].name}</Badge>;
}

/** The page no longer has the bytes of a file that it finds in the history: the person chooses it again. */
export function Again({ file }: { file: Pick<OwnerHistory, "status" | "originalFileName"> }) {
  if (file.status !== "FAILED" && file.status !== "PENDING") return null;
  const name = file.status === "FAILED" ? "Try again" : "Upload";
  return <ChooseFiles kind="small" name={name} label={`${name}: choose ${file.originalFileName}`} />;
}

function History({ owner }: { owner: string }) {
  const [shown, setShown] = useState(pageSize);
  const { state, again } = useLoad(() => newestFiles(owner, shown), [shown, news.value]);
  const isOwn = owner === ownerId;
  const { value, error } = state.value;
  if (!value) return error ? <Problem error={error} again={again} /> : <div class="loading" role="progressbar" aria-label="Loading" />;
  if (value.files.length === 0) {
    return (
      <Empty icon="file" title="No texts yet">
        {isOwn && <p>Upload a text to see how many words it has, how many different ones, and which ones it uses most.</p>}
      </Empty>
    );
  }
  return (
    <>
      {error && <Problem error={error} again={again} />}
      <Panel title="History" flush>
        <Table
          caption="History, the newest first" rows={value.files} keyOf={(file) => file.fileId} more={value.hasMore ? () => setShown(shown + pageSize) : undefined}
          columns={[
            { name: "Text", show: (file) => <a class="file-name" href={fileHref(file.fileId)}>{file.originalFileName}</a> },
            { name: "State", show: (file) => <State status={file.status} /> },
            { name: "Announced", show: (file) => moment(momentOf(file.createdAt)) },
            { name: "Actions", show: (file) => isOwn && <Again file={file} />, isActions: true },
          ]}
        />
      </Panel>
      {isOwn && (
        <p class="quiet small">
          Only this browser knows the random name under which these texts are listed. Whoever has <a href={`/?owner=${encodeURIComponent(owner)}`}>this link</a> sees them, too.
        </p>
      )}
    </>
  );
}

export function Texts() {
  const owner = shownOwner.value;
  if (owner !== ownerId) {
    return (
      <>
        <div class="page-head">
          <h1 class="file-name">Texts of {owner}</h1>
          <a class="button" href="/">
            Your own texts
          </a>
        </div>
        <History key={owner} owner={owner} />
      </>
    );
  }
  return (
    <>
      <div class="page-head">
        <h1>Texts</h1>
      </div>
      <DropZone />
      <UploadList />
      <History key={owner} owner={owner} />
    </>
  );
}
