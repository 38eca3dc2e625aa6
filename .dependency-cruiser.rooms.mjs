import directions, { tests } from './.dependency-cruiser.mjs';

// No two rooms need each other: the features of a service, the rooms of the gateway and of the kit. Of the product alone, for a
// suite may look at what several of them do.
const rooms = '^(services/[^/]+|gateway|packages/service-kit)/src/[^/]+';

export default {
  forbidden: [
    {
      name: 'rooms-do-not-need-each-other',
      severity: 'error',
      scope: 'folder',
      from: { path: `${rooms}$` },
      to: { circular: true },
    },
  ],
  options: { ...directions.options, includeOnly: `${rooms}/`, exclude: tests },
};
