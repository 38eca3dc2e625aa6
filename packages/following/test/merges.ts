import type { Merge } from '../src/merge-service.ts';

export const into = (customer_id: string, other: string | null, version: number): Merge => ({
  customer_id,
  into: other,
  version,
});

/** What comms-service decided of ids, one after the other, as its rules allow. */
export class Decided {
  readonly told: Merge[] = [];
  readonly #into = new Map<string, string>();

  leadOf(id: string): string {
    const next = this.#into.get(id);
    return next === undefined ? id : this.leadOf(next);
  }

  merge(id: string, other: string): void {
    const survivor = this.leadOf(other);
    if (this.#into.has(id) || survivor === id) return;
    this.#into.set(id, survivor);
    this.#tell(id, survivor);
  }

  undo(id: string): void {
    if (this.#into.delete(id)) this.#tell(id, null);
  }

  #tell(id: string, to: string | null): void {
    this.told.push(into(id, to, this.told.filter(({ customer_id }) => customer_id === id).length + 1));
  }
}
