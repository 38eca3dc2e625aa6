/** The renewal of a task, in the drawer of its page. */
export const RenewalLink = ({ id, children }: { id: string; children: string }) => (
  <a href={`/renewals?renewal=${encodeURIComponent(id)}`}>{children}</a>
);
