import { Fieldset, NumberInput, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { api, dataOf } from '../api/client.ts';
import type { ServiceType } from '../api/types.ts';
import { LastChange } from '../history/last-change.tsx';
import { tell } from '../parts/told.tsx';
import { counted } from '../parts/words.ts';
import { serviceTypesQuery } from '../renewals/service-types.ts';
import { useDraft } from './draft.ts';
import { DraftForm } from './draft-form.tsx';
import { SaveBar } from './save-bar.tsx';
import { OnlyAdmins, useIsAdmin } from './section.tsx';
import { inALine, type Labels, languagesOf, sorted, trimmed, withLabel } from './service-labels.ts';
import classes from './settings.module.css';
import { languageOf } from './template-names.ts';
import { templatesQuery } from './template-queries.ts';
import { useSave } from './use-save.ts';

type Described = Pick<ServiceType, 'code' | 'label' | 'labels' | 'renewal_months'>;

const empty: Described = { code: '', label: '', labels: {}, renewal_months: 12 };
/** One that nobody described is called by its code until it has a label. */
const described = ({ code, label, labels, renewal_months, listed }: ServiceType): Described => ({
  code,
  renewal_months,
  label: listed ? label : '',
  labels: sorted(labels),
});

interface ServiceTypeFormProps {
  /** Undefined: a new one. */
  type: ServiceType | undefined;
  all: readonly ServiceType[];
  open(code: string): void;
  close(): void;
}

const draftNameOf = ({ code }: Pick<ServiceType, 'code'>) => `service-type:${code}`;

export function ServiceTypeForm({ type, all, open, close }: ServiceTypeFormProps) {
  const isAdmin = useIsAdmin();
  const draft = useDraft(draftNameOf(type ?? empty), type ? described(type) : empty, type?.version ?? 0);
  const { code, label, labels, renewal_months } = draft.value;
  const save = useSave({
    draft,
    queryKey: serviceTypesQuery.queryKey,
    send: (body, header) =>
      dataOf(
        api.PUT('/ops/service-types/{code}', {
          params: { path: { code: body.code }, header },
          body: { label: body.label.trim(), labels: trimmed(body.labels), renewal_months: body.renewal_months },
        }),
      ),
    nameOf: (result) => draftNameOf(result),
    saved: ({ code, label }, isAll) => {
      tell(`${label} is saved.`);
      if (isAll) close();
      else open(code);
    },
  });
  const isTaken = !type && all.some((one) => one.code === code);
  return (
    <DraftForm className={classes.form} draft={draft} save={save} isTaken={isTaken}>
      {!isAdmin && <OnlyAdmins />}
      {!type && (
        <TextInput
          label="Code"
          description="How other systems name it: capital letters, digits and underscores. It never changes."
          placeholder="DRIVING_LICENCE"
          value={code}
          onChange={({ currentTarget }) => draft.write({ code: asCode(currentTarget.value) })}
          error={isTaken ? 'There is one with this code already' : save.field('code')}
          maxLength={64}
        />
      )}
      <TextInput
        label="Label"
        description="What staff read, and customers whose language has no label of its own"
        value={label}
        onChange={({ currentTarget }) => draft.write({ label: currentTarget.value })}
        error={save.field('label')}
        readOnly={!isAdmin}
        maxLength={100}
      />
      <InLanguages labels={labels} write={(now) => draft.write({ labels: now })} wrong={save.field} other={label} />
      <NumberInput
        label="Months of the next term"
        description="Left empty: completing one makes no next one by itself."
        value={renewal_months ?? ''}
        onChange={(value) => draft.write({ renewal_months: value === '' ? null : Number(value) })}
        error={save.field('renewal_months')}
        readOnly={!isAdmin}
        allowDecimal={false}
        allowNegative={false}
        clampBehavior="none"
      />
      {type && <History of={type} />}
      {isAdmin && (
        <SaveBar
          draft={draft}
          save={save}
          fields={['code', 'label', 'renewal_months', ...Object.keys(labels).map(pathOf)]}
          theirs={
            type &&
            `${type.label}, ${type.renewal_months === null ? 'no months' : counted(type.renewal_months, 'month')}${inALine(type.labels)}`
          }
        />
      )}
    </DraftForm>
  );
}

const History = ({ of: { code, updated_at } }: { of: ServiceType }) => (
  <LastChange
    at={updated_at}
    queryKey={[...serviceTypesQuery.queryKey, code]}
    ask={(query, signal) =>
      dataOf(api.GET('/ops/service-types/{code}/history', { params: { path: { code }, query }, signal }))
    }
  />
);

interface InLanguagesProps {
  labels: Labels;
  write(labels: Labels): void;
  /** Why a field was not taken. */
  wrong(path: string): string | undefined;
  /** What it is called where nothing is said. */
  other: string;
}

/** A label for each language that messages are written in. */
function InLanguages({ labels, write, wrong, other }: InLanguagesProps) {
  const isAdmin = useIsAdmin();
  const { data: words = [] } = useQuery(templatesQuery);
  return (
    <Fieldset legend="In messages to customers" className={classes.form}>
      {languagesOf(labels, words).map((language) => (
        <TextInput
          key={language}
          label={`In ${languageOf(language)}`}
          placeholder={other}
          value={labels[language] ?? ''}
          onChange={({ currentTarget }) => write(withLabel(labels, language, currentTarget.value))}
          error={wrong(pathOf(language))}
          readOnly={!isAdmin}
          maxLength={100}
        />
      ))}
    </Fieldset>
  );
}

const pathOf = (language: string) => `labels.${language}`;

const asCode = (typed: string): string => typed.toUpperCase().replace(/[^A-Z0-9_]/g, '_');
