/** Where the files of messages come from. Throws a `FetchError` that says why it is not there. */
export interface FileSource {
  fetch(ref: string, signal: AbortSignal): Promise<Buffer>;
}

/** webhook-ingest, and each provider that keeps files itself, by its name. */
export type FileSources = Record<string, FileSource>;
