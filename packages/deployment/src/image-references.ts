/** An image as a Dockerfile, a compose file or a manifest names it, such as `postgres:18@sha256:...`. */
export interface ImageReference {
  registry: string;
  repository: string;
  tag: string;
  /** `postgres:18`, as it is written. */
  name: string;
}

/** Where one stands: behind FROM, `image:` or CloudNativePG's `imageName:`. */
const places = /^(\s*(?:FROM|-?\s*image(?:Name)?:)\s+)([\w./:-]+:[\w.-]+)(@sha256:[0-9a-f]{64})?(?=\s|$)/gm;

/** What Docker means by a name without a host, and by one without a folder. */
const [hub, hubFolder] = ['docker.io', 'library'];

/** Those of the public; our own are built where they are used. */
export const imagesIn = (text: string): ImageReference[] =>
  [...text.matchAll(places)].flatMap(([, , name = '']) => (isOurs(name) ? [] : read(name)));

/** Each followed by the digest that stands for it now, in place of any other. */
export const pinned = (text: string, digestOf: (name: string) => string): string =>
  text.replace(places, (whole, before: string, name: string) =>
    isOurs(name) ? whole : `${before}${name}@${digestOf(name)}`,
  );

const isOurs = (name: string): boolean => name.startsWith('ops/');

function read(name: string): ImageReference {
  const at = name.lastIndexOf(':');
  const [path, tag] = [name.slice(0, at), name.slice(at + 1)];
  const [first = '', ...rest] = path.split('/');
  if (rest.length > 0 && /[.:]|^localhost$/.test(first))
    return { registry: first, repository: rest.join('/'), tag, name };
  return { registry: hub, repository: rest.length === 0 ? `${hubFolder}/${path}` : path, tag, name };
}
