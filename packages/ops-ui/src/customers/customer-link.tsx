import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { customerNameQuery } from './customer-names.ts';

/** The way to a customer where only the id is known; called by it until the name is there. */
export function CustomerLink({ id, ...rest }: { id: string; 'data-opens'?: true }) {
  const { data: name } = useQuery(customerNameQuery(id));
  return (
    <Link to="/customers/$id" params={{ id }} title={id} {...rest}>
      {name ?? id}
    </Link>
  );
}
