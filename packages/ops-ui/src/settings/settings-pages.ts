/** Parts of the settings, in the order of their tabs. */
export const settingsPages = [
  { label: 'Service types', to: '/settings/service-types', adminsOnly: false },
  { label: 'Agents', to: '/settings/agents', adminsOnly: false },
  { label: 'Templates', to: '/settings/templates', adminsOnly: false },
  { label: 'Replies', to: '/settings/replies', adminsOnly: false },
  { label: 'Alert plan', to: '/settings/alert-plan', adminsOnly: false },
  { label: 'Calendar', to: '/settings/calendar', adminsOnly: false },
  { label: 'Your sign-ins', to: '/settings/sign-ins', adminsOnly: false },
  { label: 'Dead letters', to: '/settings/dead-letters', adminsOnly: true },
  { label: 'Webhook deliveries', to: '/settings/webhooks', adminsOnly: true },
  { label: 'Retention', to: '/settings/retention', adminsOnly: true },
  { label: 'Who changed what', to: '/settings/audit', adminsOnly: true },
] as const;
