/** The task of graphile-worker that is the queue. */
export const taskOf = (namespace: string, queue: string): string =>
  namespace === '' ? queue : `${namespace}.${queue}`;

/** The channel taps listen on. */
export const tapChannel = (namespace: string): string => taskOf(namespace, 'ops:tap');
