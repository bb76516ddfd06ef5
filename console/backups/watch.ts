// Follows the restores that are running until they are done, whatever the page shows meanwhile.
import { go } from "web/route";
import { say } from "web/ui/toast";
import { type TableInfo, describe, loadTables } from "../db/tables";
import { plural } from "../format";
import { tableUrl } from "../routes";

const askAgainMilliseconds = 500;
const watched = new Set<string>();

export const isRestoring = (table: TableInfo): boolean => table.RestoreSummary?.RestoreInProgress ?? false;

/** Says when the table is restored. */
export function watch(name: string): void {
  if (watched.has(name)) return;
  watched.add(name);
  const look = async (): Promise<void> => {
    const table = await describe(name);
    if (isRestoring(table)) return void setTimeout(() => void look().catch(stop), askAgainMilliseconds);
    watched.delete(name);
    say(`${name} is restored: ${plural(table.ItemCount, "item")}`, { action: { name: "Open", run: () => go(tableUrl(name)) } });
  };
  // Somebody deleted it, or the server cannot be reached.
  const stop = (): void => (watched.delete(name), void loadTables());
  void look().catch(stop);
}
