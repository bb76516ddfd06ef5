// globalSetup of Vitest: a server in memory for the run. AWS's SDKs find it by the environment, tests also by inject("tavola").
import { start, useInEnvironment } from "./index.mjs";

export default async function setup(project) {
  const server = await start();
  useInEnvironment(server);
  const { endpoint, region, credentials } = server;
  project?.provide?.("tavola", { endpoint, region, credentials });
  return () => server.stop();
}
