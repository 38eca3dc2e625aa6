import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { asProblem } from '../api/problem.ts';
import type { Template } from '../api/types.ts';
import { ChannelIcon, channelNames } from '../parts/channels.tsx';
import { Beside, Drawer } from '../parts/drawer.tsx';
import { Empty, Failed, Loading } from '../parts/states.tsx';
import table from '../parts/table.module.css';
import { RungName } from '../renewals/rung-name.tsx';
import { rungInWords, rungs } from '../renewals/rung-names.ts';
import { OnlyAdmins, Section, useIsAdmin } from './section.tsx';
import classes from './settings.module.css';
import { TemplateForm } from './template-form.tsx';
import { channels, languageOf, languageOfSeveral, nameOfPlace, placeOf, type TemplatePlace } from './template-names.ts';
import { templatesQuery } from './template-queries.ts';
import own from './templates.module.css';

const route = getRouteApi('/settings/templates');

/** What alerts say to customers, by rung, channel and language. */
export function TemplatesPage() {
  const isAdmin = useIsAdmin();
  const { data, error, isPending, refetch } = useQuery(templatesQuery);
  return (
    <Beside drawer={<Form templates={data} />}>
      <Section
        title="Templates"
        words="What alerts say to customers. Each customer is written to in their own language where there are words in it, else in English."
        action={!isAdmin && <OnlyAdmins />}
      >
        {isPending && <Loading rows={10} />}
        {error && <Failed problem={asProblem(error)} again={refetch} />}
        {data && <List templates={data} />}
      </Section>
    </Beside>
  );
}

function List({ templates }: { templates: readonly Template[] }) {
  const places = rungs.flatMap((rung) => channels.map((channel) => ({ rung, channel })));
  return (
    <div className={own.list}>
      <WithoutSeveral templates={templates} />
      <table className={table.table}>
        <thead>
          <tr>
            <th>Rung</th>
            <th>Channel</th>
            <th>Languages</th>
            <th>Says</th>
          </tr>
        </thead>
        <tbody>
          {places.map((place) => (
            <Row key={place.rung + place.channel} place={place} templates={templates} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A customer who reads such a language gets a message in another one: nobody should learn that from them. */
function WithoutSeveral({ templates }: { templates: readonly Template[] }) {
  const lacking = templates.filter((one) => languageOfSeveral(templates, one) !== null);
  const languages = [...new Set(lacking.map(({ locale }) => languageOf(locale)))];
  if (languages.length === 0) return null;
  return (
    <Text size="sm" px={16} pb="sm">
      {languages.join(', ')}: not all templates have words for a message about several renewals. Until you write them,
      it goes out in another language.
    </Text>
  );
}

interface RowProps {
  place: Omit<TemplatePlace, 'locale'>;
  templates: readonly Template[];
}

function Row({ place, templates }: RowProps) {
  const isAdmin = useIsAdmin();
  const { rung, channel } = place;
  const words = templates.filter((one) => one.rung === rung && one.channel === channel);
  const shown = words.find(({ locale }) => locale === 'en') ?? words[0];
  return (
    <tr>
      <td data-label="Rung">
        <RungName rung={rung} />
      </td>
      <td data-label="Channel">
        <span className={own.channel}>
          <ChannelIcon type={channel} /> <span aria-hidden>{channelNames[channel]}</span>
        </span>
      </td>
      <td data-label="Languages">
        <span className={own.languages}>
          {words.map(({ locale }) => (
            <Language key={locale} place={{ ...place, locale }} />
          ))}
          {isAdmin && <Language place={{ ...place, locale: null }} />}
        </span>
      </td>
      <td data-label="Says">
        <Text size="sm" lineClamp={2} className={classes.quiet}>
          {shown?.subject ?? shown?.body}
        </Text>
      </td>
    </tr>
  );
}

function Language({ place }: { place: TemplatePlace }) {
  const { edit } = route.useSearch();
  const { rung, channel, locale } = place;
  const name = nameOfPlace(place);
  const language = locale === null ? 'Add a language' : languageOf(locale);
  return (
    <Link
      to="/settings/templates"
      search={{ edit: name }}
      className={own.language}
      data-new={locale === null || undefined}
      aria-current={name === edit || undefined}
      aria-label={[language, rungInWords(rung), channelNames[channel]].join(', ')}
    >
      {locale === null ? 'Add' : language}
    </Link>
  );
}

function Form({ templates }: { templates: readonly Template[] | undefined }) {
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  if (!templates || edit === undefined) return null;
  const place = placeOf(edit);
  const template = place ? templates.find((one) => nameOfPlace(one) === edit) : undefined;
  const title = place ? titleOf(place) : 'Not found';
  return (
    <Drawer key={edit} title={title} label={title} close={() => navigate({ search: {} })}>
      {place && (template || place.locale === null) ? (
        <TemplateForm
          place={place}
          template={template}
          all={templates}
          open={(one) => navigate({ search: { edit: nameOfPlace(one) } })}
        />
      ) : (
        <Empty>There is no such template.</Empty>
      )}
    </Drawer>
  );
}

const titleOf = ({ rung, channel, locale }: TemplatePlace): string =>
  [rungInWords(rung), channelNames[channel], locale === null ? 'a new language' : languageOf(locale)].join(', ');
