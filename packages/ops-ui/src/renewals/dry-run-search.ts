/** Which day an address asks about; without one, today. */
export const dryRunSearch = ({ as_of }: Record<string, unknown>): { as_of?: string } =>
  typeof as_of === 'string' && /^\d{4}-\d\d-\d\d$/.test(as_of) ? { as_of } : {};
