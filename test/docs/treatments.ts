import { accounts } from './account-treatments.ts';
import { doctor } from './doctor-treatments.ts';
import { providers } from './provider-treatments.ts';
import { readme } from './readme-treatments.ts';
import type { Treatment } from './treatment.ts';
import { upstream } from './upstream-treatments.ts';

export const treatments: readonly Treatment[] = [...readme, ...doctor, ...upstream, ...accounts, ...providers];
