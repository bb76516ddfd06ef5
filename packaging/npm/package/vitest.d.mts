import type { Server } from "tavola";

declare module "vitest" {
  interface ProvidedContext {
    tavola: Pick<Server, "endpoint" | "region" | "credentials">;
  }
}

/** The globalSetup of Vitest. */
export default function setup(project?: unknown): Promise<() => Promise<void>>;
