import type { Renewal } from '../api/types.ts';
import { isOpen } from './renewal-words.ts';

type Watched = Pick<Renewal, 'id' | 'status' | 'service_type' | 'due_date' | 'policy_id'>;

/** Others of the customer that are watched for the same thing: no two name different policies. */
export const twinsOf = <T extends Watched>(one: Watched, all: readonly T[]): T[] =>
  isOpen(one) ? all.filter((other) => other.id !== one.id && isOpen(other) && areAlike(one, other)) : [];

const areAlike = (one: Watched, other: Watched): boolean =>
  one.service_type === other.service_type &&
  one.due_date === other.due_date &&
  (one.policy_id === other.policy_id || one.policy_id === null || other.policy_id === null);
