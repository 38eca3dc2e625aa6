import { Link } from '@tanstack/react-router';
import type { Task } from '../api/types.ts';

interface NoteLinkProps {
  task: Task;
  children: string;
}

/** The note in which its agent is mentioned, in the log of the customer. */
export const NoteLink = ({ task: { customer_id, communication_id }, children }: NoteLinkProps) => (
  <Link
    to="/customers/$id"
    params={{ id: customer_id }}
    search={{ ...(communication_id && { message: communication_id }) }}
  >
    {children}
  </Link>
);
