const sample = /^([a-z_]+)(?:\{(.*)\})? (\S+)$/;
const label = /(\w+)="((?:[^"\\]|\\.)*)"/g;

/**
 * What a process tells on its internal port: the sum of a metric's samples with these labels and whatever others.
 * Undefined when there is none.
 */
export async function readMetrics(url: string) {
  const text = await (await fetch(url)).text();
  const samples = text.split('\n').flatMap((line) => {
    const [, name, labels = '', value] = sample.exec(line) ?? [];
    const given = new Map([...labels.matchAll(label)].map(([, key, words]) => [key, words]));
    return name === undefined ? [] : [{ name, given, value: Number(value) }];
  });
  return (wanted: string, labels: Record<string, string> = {}): number | undefined => {
    const found = samples.filter(
      ({ name, given }) => name === wanted && Object.entries(labels).every(([key, words]) => given.get(key) === words),
    );
    return found.length === 0 ? undefined : found.reduce((sum, { value }) => sum + value, 0);
  };
}
