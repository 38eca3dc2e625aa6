import { baseConfig } from '@ops/service-kit/config';
import type { z } from 'zod';

export const config = baseConfig;
export type Config = z.infer<typeof config>;
