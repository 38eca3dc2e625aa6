import { Button } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import type { ServiceType } from '../api/types.ts';
import { When } from '../parts/dates.tsx';
import { Beside, Drawer } from '../parts/drawer.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import table from '../parts/table.module.css';
import { counted } from '../parts/words.ts';
import { serviceTypesQuery } from '../renewals/service-types.ts';
import { OnlyAdmins, Section, useIsAdmin } from './section.tsx';
import { ServiceTypeForm } from './service-type-form.tsx';
import classes from './settings.module.css';

const route = getRouteApi('/settings/service-types');

/** What is renewed, how it is called, and for how long it is renewed. */
export function ServiceTypesPage() {
  const isAdmin = useIsAdmin();
  const { data, error, isPending, refetch } = useQuery({ ...serviceTypesQuery, refetchOnMount: 'always' });
  return (
    <Beside drawer={<Form types={data} />}>
      <Section
        title="Service types"
        words="What is renewed. Its label is what customers and staff read; the length of the term decides when the next one is due once one is completed."
        action={
          isAdmin ? (
            <Button
              leftSection={<IconPlus size={16} />}
              renderRoot={(props) => <Link to="/settings/service-types" search={{ add: true }} {...props} />}
            >
              Add a service type
            </Button>
          ) : (
            <OnlyAdmins />
          )
        }
      >
        {isPending && <Loading />}
        {error && <Failed problem={asProblem(error)} again={refetch} />}
        {data && <List types={data} />}
      </Section>
    </Beside>
  );
}

function List({ types }: { types: readonly ServiceType[] }) {
  const { edit } = route.useSearch();
  if (types.length === 0) return <Empty>There are no service types yet.</Empty>;
  return (
    <table className={table.table}>
      <thead>
        <tr>
          <th>Label</th>
          <th>Code</th>
          <th>Next term</th>
          <th>Changed</th>
        </tr>
      </thead>
      <tbody>
        {types.map(({ code, label, listed, renewal_months, updated_at }) => (
          <tr key={code} className={code === edit ? classes.chosen : undefined}>
            <td data-label="Label">
              <Link to="/settings/service-types" search={{ edit: code }} className={table.main}>
                {label}
              </Link>
            </td>
            <td data-label="Code">{code}</td>
            <td data-label="Next term">
              {listed ? termInWords(renewal_months) : <span className={classes.missing}>Not described yet</span>}
            </td>
            <td data-label="Changed">{updated_at && <When at={updated_at} />}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const termInWords = (months: number | null): string =>
  months === null ? 'No next one by itself' : counted(months, 'month');

function Form({ types }: { types: readonly ServiceType[] | undefined }) {
  const { edit, add } = route.useSearch();
  const navigate = route.useNavigate();
  if (!types || (edit === undefined && !add)) return null;
  const close = () => navigate({ search: {} });
  const chosen = types.find(({ code }) => code === edit);
  const title = chosen?.label ?? (add ? 'A new service type' : 'Not found');
  return (
    <Drawer key={edit ?? 'new'} title={title} label={title} close={close}>
      {add || chosen ? (
        <ServiceTypeForm
          type={chosen}
          all={types}
          open={(code) => navigate({ search: { edit: code } })}
          close={close}
        />
      ) : (
        <Empty>There is no service type {edit}.</Empty>
      )}
    </Drawer>
  );
}
