import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { customerQuery } from './customer-queries.ts';

/** The way to a customer where only the id is known; called by it until the name is there. */
export function CustomerLink({ id }: { id: string }) {
  const { data: customer } = useQuery(customerQuery(id));
  return (
    <Link to="/customers/$id" params={{ id }} title={id}>
      {customer?.name ?? id}
    </Link>
  );
}
