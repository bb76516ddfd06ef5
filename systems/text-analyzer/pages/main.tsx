// The pages of tavola-text-analyzer.
import { path } from "web/route";
import { start } from "web/start";
import { Frame } from "web/ui/frame";
import { Empty } from "web/ui/table";
import { Texts } from "./history";
import { FileView } from "./result";
import "./style.css";

function View() {
  if (path.value === "/") return <Texts />;
  if (path.value === "/file") return <FileView />;
  return (
    <Empty icon="search" title="There is no such page">
      <a href="/">To the texts</a>
    </Empty>
  );
}

start("Text analyzer", () => (
  <Frame title="Text analyzer" places={[{ href: "/", name: "Texts", icon: "file" }]} offline="What is being uploaded has to be tried again.">
    <View />
  </Frame>
));
