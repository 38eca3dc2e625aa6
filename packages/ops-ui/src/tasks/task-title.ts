import type { Task } from '../api/types.ts';
import { inOwnDays } from '../parts/dates.tsx';

/** What a task is called on the screen; the form alone has it as it is stored. */
export const titleOf = ({ title }: Pick<Task, 'title'>): string => inOwnDays(title);
