import { buffer } from 'node:stream/consumers';
import { fromBufferPromise } from 'yauzl';

/** What is in an archive, by path; refuses names that lead out of it, and what is not whole. */
export async function unzipped(archive: Buffer): Promise<Map<string, Buffer>> {
  const zip = await fromBufferPromise(archive, { strictFileNames: true, validateEntrySizes: true });
  const files = new Map<string, Buffer>();
  for await (const entry of zip.eachEntry())
    files.set(entry.fileName, await buffer(await zip.openReadStreamPromise(entry)));
  return files;
}
