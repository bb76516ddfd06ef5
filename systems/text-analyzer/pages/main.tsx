// The pages of tavola-text-analyzer.
import { start } from "web/start";
import { Frame } from "web/ui/frame";

start("Text analyzer", () => <Frame title="Text analyzer" places={[{ href: "/", name: "Texts", icon: "list" }]}>Texts</Frame>);
