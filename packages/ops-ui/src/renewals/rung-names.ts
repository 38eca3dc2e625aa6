import type { Template } from '../api/types.ts';

export type Rung = Template['rung'];

/** Steps of the ladder, from the loosest to the most urgent. */
export const rungs: readonly Rung[] = ['90', '60', '30', '14', '7', 'OVERDUE'];

export const rungInWords = (rung: Rung): string => (rung === 'OVERDUE' ? 'Overdue' : `${rung} days`);

/** What is fired, by name. */
export const alertInWords = (rung: Rung): string => (rung === 'OVERDUE' ? 'Overdue alert' : `${rung}-day alert`);
