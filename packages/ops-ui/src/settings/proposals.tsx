import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Proposal } from '../api/types.ts';
import { useAgentNames } from '../parts/agents.tsx';
import { instantOf } from '../parts/dates.tsx';
import { Listed } from '../parts/listed.tsx';
import table from '../parts/table.module.css';
import { effectOf, ProposalDeeds } from './proposal-deeds.tsx';
import classes from './retention.module.css';
import { proposalsQuery } from './retention-queries.ts';
import { proposedInWords } from './retention-words.ts';

/** What cannot be taken back waits here for a second admin, and then for a day. */
export const Proposals = () => (
  <section aria-labelledby="proposals">
    <h3 id="proposals" className={classes.heading} data-inset>
      Proposed
    </h3>
    <List />
  </section>
);

function List() {
  const query = useInfiniteQuery(proposalsQuery);
  return (
    <Listed query={query} empty="Nothing waits to be confirmed or to take effect." skeleton={{ rows: 1 }}>
      {(proposals) => (
        <table className={table.table}>
          <thead>
            <tr>
              <th>What</th>
              <th>Proposed</th>
              <th>Takes effect</th>
              <th>
                <span className="visually-hidden">What you can do</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {proposals.map((proposal) => (
              <Row key={proposal.id} proposal={proposal} />
            ))}
          </tbody>
        </table>
      )}
    </Listed>
  );
}

function Row({ proposal }: { proposal: Proposal }) {
  const nameOf = useAgentNames();
  const { proposed_by, proposed_at, customer_id } = proposal;
  return (
    <tr>
      <td data-label="What">
        {customer_id === null ? (
          proposedInWords(proposal)
        ) : (
          <>
            Customer{' '}
            <Link to="/customers/$id" params={{ id: customer_id }} search={{ tab: 'details' }}>
              {customer_id}
            </Link>{' '}
            is erased
          </>
        )}
      </td>
      <td data-label="Proposed">
        {instantOf(proposed_at)} by {nameOf(proposed_by)}
      </td>
      <td data-label="Takes effect">{effectOf(proposal, nameOf)}</td>
      <td>
        <ProposalDeeds proposal={proposal} />
      </td>
    </tr>
  );
}
