// One file: its state, and what was found in it.
import type { Decimal, File as AnalysedFile } from "generated/text-analyzer-history";
import { moment, number } from "web/format";
import { useLoad } from "web/load";
import { query } from "web/route";
import { useSubject } from "web/ui/frame";
import { Bars, Empty, Figure, Panel, Problem } from "web/ui/table";
import { fileOf, momentOf, news } from "./files";
import { Again, State } from "./history";
import { ownerId } from "./owner";

type Result = NonNullable<AnalysedFile["result"]>;

/** Returns a part of all words in percent with one digit, rounded. */
function percentOf(part: Decimal, all: Decimal): string {
  const [words, total] = [BigInt(part.toString()), BigInt(all.toString())];
  const tenths = (2000n * words + total) / (2n * total);
  return `${number(`${tenths / 10n}.${tenths % 10n}`)} %`;
}

function Top({ result }: { result: Result }) {
  const top = result.top10Words.flatMap(({ word, count }) => (word !== undefined && count ? [{ word, count }] : []));
  const most = top[0];
  if (!most) return <p class="quiet">The text has no words.</p>;
  return (
    <Bars
      rows={top.map(({ word, count }) => ({
        name: word, value: `${number(count)} · ${percentOf(count, result.totalWords)}`, share: Number(count.toString()) / Number(most.count.toString()),
      }))}
    />
  );
}

function Found({ result }: { result: Result }) {
  return (
    <>
      <div class="columns">
        <Figure label="Words" value={number(result.totalWords)} />
        <Figure label="Different words" value={number(result.uniqueWords)} />
        <Figure label="Average length" value={number(result.avgWordLength)} note="Units of UTF-16, as JavaScript counts" />
      </div>
      <Panel title={result.top10Words.length < 10 ? "The most frequent words" : "The ten most frequent words"}>
        <Top result={result} />
      </Panel>
      <p class="quiet small">A word is a run of letters, in small letters. Digits, apostrophes and hyphens end it. Equally frequent words come in the order of a dictionary.</p>
    </>
  );
}

function Progress({ file }: { file: AnalysedFile }) {
  switch (file.status) {
    case "PENDING":
      return <p class="notice">The text is not uploaded yet, or no worker has taken it. An announcement without an upload is removed after a while.</p>;
    case "IN_PROGRESS":
      return <div class="loading" role="progressbar" aria-label="Its words are being counted" />;
    case "FAILED":
      return <p class="notice bad">{file.errorMessage}</p>;
    default:
      return null;
  }
}

export function FileView() {
  const id = query.value.get("id") ?? "";
  const { state, again } = useLoad(() => fileOf(id), [id, news.value]);
  const { value: file, error, isLoading } = state.value;
  const name = file?.originalFileName;
  useSubject(name);
  if (!file && error) return <Problem error={error} again={again} />;
  if (!file && isLoading) return <div class="loading" role="progressbar" aria-label="Loading" />;
  if (!file) {
    return (
      <Empty icon="file" title="There is no such text">
        <a href="/">To all texts</a>
      </Empty>
    );
  }
  return (
    <>
      <a href={file.ownerId === ownerId ? "/" : `/?owner=${encodeURIComponent(file.ownerId)}`}>All texts</a>
      <div class="page-head">
        <h1 class="file-name">{file.originalFileName}</h1>
        <State status={file.status} />
        {file.ownerId === ownerId && <Again file={file} />}
      </div>
      <p class="quiet">
        Announced {moment(momentOf(file.createdAt))}
        {file.status !== "PENDING" && <>, last changed {moment(momentOf(file.updatedAt))}</>}
      </p>
      {file.result ? <Found result={file.result} /> : <Progress file={file} />}
    </>
  );
}
