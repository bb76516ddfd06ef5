import { defineConfig } from "vitest/config";

export default defineConfig({
  test: { globalSetup: "tavola/vitest", include: ["*.vitest.ts"] },
});
