import { Link } from '@tanstack/react-router';

/** The renewal of a task, in the drawer of its page. */
export const RenewalLink = ({ id, children }: { id: string; children: string }) => (
  <Link to="/renewals" search={{ renewal: id }}>
    {children}
  </Link>
);
