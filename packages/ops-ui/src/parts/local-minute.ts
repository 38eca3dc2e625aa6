import { dayAt } from './days.ts';

/** As a field for day and time holds it, where the person sits. */
export function localMinute(at: number): string {
  const date = new Date(at);
  const two = (value: number) => String(value).padStart(2, '0');
  return `${dayAt(at)}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** Undefined where the field holds none. */
export function instantIn(local: string): string | undefined {
  const at = new Date(local).getTime();
  return local === '' || Number.isNaN(at) ? undefined : new Date(at).toISOString();
}
