import { z } from 'zod';

export const taskPriority = z.enum(['NORMAL', 'HIGH', 'URGENT']);
export type TaskPriority = z.infer<typeof taskPriority>;
