import { endSignIn, headersOfChange } from './client.ts';
import { ProblemError } from './problem.ts';

interface Upload {
  path: string;
  file: File;
  /** Repeated with every try, so that none makes a second file. */
  key: string;
  /** From 0 to 1. */
  onProgress(share: number): void;
  signal: AbortSignal;
}

/** By the older way of asking: `fetch` does not tell how much of a file has gone. */
export function upload<T>({ path, file, key, onProgress, signal }: Upload): Promise<T> {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    const fail = (status: number, problem: object) => reject(new ProblemError(status, problem));
    request.open('POST', path);
    const type = file.type || 'application/octet-stream';
    const headers = { 'Content-Type': type, 'Idempotency-Key': key, ...headersOfChange() };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.upload.onprogress = ({ loaded, total }) => onProgress(total === 0 ? 0 : loaded / total);
    request.onload = () => {
      if (request.status === 401) endSignIn();
      if (request.status >= 200 && request.status < 300) resolve(JSON.parse(request.responseText) as T);
      else fail(request.status, readProblem(request.responseText));
    };
    request.onerror = () => fail(0, { title: 'The file did not get through' });
    request.onabort = () => fail(0, { title: 'Stopped' });
    signal.addEventListener('abort', () => request.abort());
    request.send(file);
  });
}

function readProblem(text: string): object {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}
