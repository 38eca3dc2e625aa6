import { v7 } from 'uuid';

/** An id as the system makes them, that no test has used before. */
export const uuidv7 = (): string => v7();
