import { globSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ImageReference, imagesIn, pinned } from './image-references.ts';
import { askForDigest } from './registry.ts';

const files = ['Dockerfile', 'docker-compose.yml', 'k8s/**/*.yaml'];

/**
 * Writes behind every public image that is built on or run the digest its tag stands for now; what was there gives way. All
 * registries are asked before anything is written: half a deployment is not pinned.
 */
export async function pinImages(
  root: string,
  tell: (line: string) => void,
  hosts?: Record<string, string>,
): Promise<void> {
  const paths = files.flatMap((pattern) => globSync(pattern, { cwd: root })).sort();
  const texts = new Map(
    await Promise.all(paths.map(async (path) => [path, await readFile(join(root, path), 'utf8')] as const)),
  );
  const images = new Map([...texts.values()].flatMap(imagesIn).map((image) => [image.name, image]));
  const digests = await digestsOf([...images.values()], hosts);
  for (const [name, digest] of digests) tell(`${name} is ${digest}`);
  for (const [path, text] of texts) {
    const now = pinned(text, (name) => digests.get(name) ?? '');
    if (now === text) continue;
    await writeFile(join(root, path), now);
    tell(`${path}: written`);
  }
}

async function digestsOf(
  images: readonly ImageReference[],
  hosts?: Record<string, string>,
): Promise<Map<string, string>> {
  const asked = await Promise.allSettled(
    images.map(async (image) => [image.name, await askForDigest(image, hosts)] as const),
  );
  const failed = asked.flatMap((one, index) =>
    one.status === 'rejected' ? `  ${images[index]?.name}: ${reasonOf(one.reason)}` : [],
  );
  if (failed.length > 0)
    throw new Error(`nothing was written, for these could not be asked for:\n${failed.join('\n')}`);
  return new Map(asked.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])));
}

/** fetch hides what happened behind "fetch failed". */
const reasonOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message : error.message);
