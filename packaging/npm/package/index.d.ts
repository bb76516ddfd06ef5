export interface StartOptions {
  /** Folder of the data; left out, everything is in memory. */
  data?: string;
  /** Port; left out, a free one. */
  port?: number;
  /** Region in ARNs; "local" if left out. */
  region?: string;
  /** Design files, whose tables are created and governed. */
  designs?: string[];
  /** Further arguments of `tavola serve`. */
  args?: string[];
}

export interface Server {
  endpoint: string;
  region: string;
  credentials: { readonly accessKeyId: string; readonly secretAccessKey: string };
  pid: number;
  /** Ends the server; resolves when it has ended. */
  stop(): Promise<void>;
}

/** Starts a server; resolves when it answers. It ends with this process. A server that cannot start rejects, with its log. */
export function start(options?: StartOptions): Promise<Server>;

/** Points AWS's SDKs and tools, in this process and those it starts from now on, to a server. */
export function useInEnvironment(server: Server): void;
