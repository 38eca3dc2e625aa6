interface Remembered<T> {
  found: T;
  edition: number;
}

export interface Memory<T> {
  /** When what was found ends by itself, in milliseconds of the epoch. */
  endOf(found: T): number;
  /** Which keys are in force: what others vouched for is verified again. */
  edition?(): number;
  now?(): number;
}

const mostRemembered = 5_000;

/**
 * The same token comes with every request of its holder, and its signature costs more than the rest of looking at it: what
 * was verified stays so until it, or the key that vouched for it, ends. A refusal is not remembered.
 */
export function rememberVerified<T>(
  verify: (token: string) => Promise<T>,
  { endOf, edition = () => 0, now = Date.now }: Memory<T>,
): (token: string) => Promise<T> {
  const remembered = new Map<string, Remembered<T>>();
  return async (token) => {
    const known = remembered.get(token);
    const inForce = edition();
    if (known && known.edition === inForce && now() < endOf(known.found)) return known.found;
    remembered.delete(token);
    const found = await verify(token);
    const [oldest] = remembered.size >= mostRemembered ? remembered.keys() : [];
    if (oldest !== undefined) remembered.delete(oldest);
    remembered.set(token, { found, edition: inForce });
    return found;
  };
}
