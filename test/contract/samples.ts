import { type RouteName, type RouteSpec, routes, type ServiceName } from '@ops/contracts/routes';
import { uuidv7 } from '@ops/test-kit/builders';

/** One well-formed call of each route, so that the whole table can be driven. */
export interface Sample {
  name: RouteName;
  spec: RouteSpec;
  path: string;
  body?: unknown;
}

const ofCustomer = (id: string) => ({ id });
const unknownRecord = () => ({ id: uuidv7() });
const ofService = { name: 'comms-service' satisfies ServiceName };

const ofRenewal = () => ({ renewal_id: uuidv7() });
const ofTemplate = { rung: '30', channel: 'EMAIL', locale: 'en' };
const step = { channels: ['EMAIL'], task: null };
const demoPlan = {
  steps: { '90': step, '60': step, '30': step, '14': step, '7': step, OVERDUE: step },
  fall_through: ['SMS'],
  quiet_hours: null,
};
const demoCalendar = {
  working_days: ['MONDAY'],
  hours: { from: '00:00', until: '24:00' },
  country: null,
  region: null,
  holidays: [{ date: '2027-12-24', name: 'Demo day' }],
  answer_within_hours: 8,
};
const policyIssued = (customer_id: string) => ({
  specversion: '1.0',
  id: uuidv7(),
  source: 'demo',
  type: 'policy.issued',
  data: { customer_id, policy_id: 'P-demo', end_date: '2030-01-31' },
});

export function samples(customerId: string): Sample[] {
  const call: Record<RouteName, { params?: Record<string, string>; query?: string; body?: unknown }> = {
    putCustomer: { params: ofCustomer(customerId), body: { name: 'Demo Customer' } },
    createCustomer: { body: { name: 'Demo Customer' } },
    patchCustomer: { params: ofCustomer(customerId), body: { do_not_contact: true } },
    listCustomers: {},
    assignCustomers: { body: { customer_ids: [customerId], assigned_agent: null } },
    handOverCustomers: { body: { from: 'demo-gone', assigned_agent: null } },
    handOverRenewals: { body: { from: 'demo-gone', assigned_agent: null } },
    handOverTasks: { body: { from: 'demo-gone', assigned_agent: null } },
    assignTasks: { body: { task_ids: [uuidv7()], assigned_agent: null } },
    dateTasks: { body: { task_ids: [uuidv7()], due_date: '2030-01-31' } },
    getCustomer: { params: ofCustomer(customerId) },
    listCustomerHistory: { params: ofCustomer(customerId) },
    mergeCustomer: { params: ofCustomer(customerId), body: { into: 'demo-unknown' } },
    unmergeCustomer: { params: ofCustomer(customerId) },
    exportCustomer: { params: ofCustomer(customerId) },
    listDuplicates: { params: ofCustomer(customerId) },
    getLegalHold: { params: ofCustomer(customerId) },
    setLegalHold: { params: ofCustomer(customerId), body: { on: true, reason: 'text' } },
    eraseCustomer: { params: ofCustomer(customerId) },
    getErasure: { params: ofCustomer(customerId) },
    listOptOuts: { params: ofCustomer(customerId) },
    setOptOut: {
      params: ofCustomer(customerId),
      body: { kind: 'phone', value: '+447700900123', channel: 'SMS', opted_out: true, reason: 'text' },
    },
    createCommunication: {
      params: ofCustomer(customerId),
      body: { type: 'MESSAGING_APP', direction: 'INBOUND', body: 'text' },
    },
    listCommunications: { params: ofCustomer(customerId) },
    countCommunications: { params: ofCustomer(customerId) },
    createNote: { params: ofCustomer(customerId), body: { body: 'text' } },
    markCommunicationsRead: { params: ofCustomer(customerId) },
    markCommunicationsUnread: { params: ofCustomer(customerId), body: { from: uuidv7() } },
    patchAttention: { params: ofCustomer(customerId), body: { state: 'done' } },
    listAttention: {},
    moveCommunication: { params: unknownRecord(), body: { customer_id: customerId } },
    strikeCommunication: { params: unknownRecord() },
    retryCommunication: { params: unknownRecord() },
    resolveCommunication: { params: unknownRecord(), body: { outcome: 'sent' } },
    settleCommunication: { params: unknownRecord(), body: { note: 'by phone' } },
    patchCommunication: { params: unknownRecord(), body: { send_after: null } },
    cancelCommunication: { params: unknownRecord() },
    listFailedCommunications: {},
    searchCommunications: { query: '?q=text' },
    listCommunicationHistory: { params: unknownRecord() },
    showCommunication: { params: unknownRecord() },
    uploadAttachment: { params: ofCustomer(customerId), query: '?name=file.txt', body: 'text' },
    listCustomerFiles: { params: ofCustomer(customerId) },
    getAttachment: { params: unknownRecord() },
    retryAttachment: { params: unknownRecord() },
    getCannedReplies: { query: '?scope=shared' },
    listCannedReplyHistory: {},
    putCannedReplies: { query: '?scope=own', body: { replies: [{ title: 'text', body: 'text' }] } },
    listUnmatched: {},
    getUnmatched: { params: unknownRecord() },
    linkUnmatched: { params: unknownRecord(), body: { customer_id: customerId } },
    dismissUnmatched: { params: unknownRecord() },
    restoreUnmatched: { params: unknownRecord() },
    unlinkUnmatched: { params: unknownRecord() },
    getRetention: {},
    putRetention: { body: { keep_days: { EMAIL: 2_557 } } },
    listProposals: {},
    confirmProposal: { params: unknownRecord() },
    callOffProposal: { params: unknownRecord() },
    listRetentionHistory: {},
    runRetention: { query: '?dry_run=true' },
    listRetentionRuns: {},
    listWebhookDeliveries: {},
    getWebhookDelivery: { params: unknownRecord() },
    reprocessWebhookDelivery: { params: unknownRecord() },
    listTimeline: { params: ofCustomer(customerId) },
    listDeadLetters: { params: ofService },
    listAudit: { params: ofService },
    downloadAudit: { params: ofService },
    replayDeadLetter: { params: { ...ofService, ...unknownRecord() } },
    importCustomers: { body: 'customer_id,name\n' },
    getCustomerImport: { params: unknownRecord() },
    applyCustomerImport: { params: unknownRecord() },
    listCustomerImportRows: { params: unknownRecord() },
    downloadCustomerImportRows: { params: unknownRecord() },
    listCustomerImportHistory: { params: unknownRecord() },
    createRenewal: {
      params: ofCustomer(customerId),
      body: { service_type: 'RESIDENCE_PERMIT', due_date: '2030-01-31' },
    },
    listCustomerRenewals: { params: ofCustomer(customerId) },
    listRenewals: {},
    summariseRenewals: {},
    assignRenewals: { body: { renewal_ids: [uuidv7()], assigned_agent: null } },
    // Refused to whoever may, so that nothing is refreshed here.
    runRefresh: { query: '?as_of=2040-01-31' },
    listRefreshRuns: {},
    getRefreshRun: { params: { run_id: uuidv7() } },
    listRenewalHistory: { params: ofRenewal() },
    getRenewal: { params: ofRenewal() },
    patchRenewal: { params: ofRenewal(), body: { notes: 'text' } },
    startRenewal: { params: ofRenewal() },
    acknowledgeRenewal: { params: ofRenewal(), body: { until: '2026-01-31' } },
    releaseRenewal: { params: ofRenewal() },
    completeRenewal: { params: ofRenewal() },
    cancelRenewal: { params: ofRenewal() },
    reopenRenewal: { params: ofRenewal() },
    listComplianceFlags: { params: ofCustomer(customerId) },
    listServiceTypes: {},
    putServiceType: { params: { code: 'DEMO_PERMIT' }, body: { label: 'Demo permit', renewal_months: 12 } },
    listServiceTypeHistory: { params: { code: 'DEMO_PERMIT' } },
    postUpstreamEvent: { body: policyIssued(customerId) },
    importRenewals: { body: 'customer_id,service_type,due_date\n' },
    getRenewalImport: { params: unknownRecord() },
    applyRenewalImport: { params: unknownRecord() },
    listRenewalImportRows: { params: unknownRecord() },
    downloadRenewalImportRows: { params: unknownRecord() },
    listRenewalImportHistory: { params: unknownRecord() },
    listTasks: {},
    listTaskHistory: { params: unknownRecord() },
    getTask: { params: unknownRecord() },
    createTask: { body: { customer_id: customerId, title: 'text' } },
    patchTask: { params: unknownRecord(), body: { status: 'DONE' } },
    listAgents: {},
    putAgent: { params: { id: 'agent-demo' }, body: { name: 'Demo Agent' } },
    listAgentHistory: { params: { id: 'agent-demo' } },
    getAlertPlan: {},
    putAlertPlan: { body: demoPlan },
    listAlertPlanHistory: {},
    getCalendar: {},
    putCalendar: { body: demoCalendar },
    listCalendarHistory: {},
    listCalendarCountries: {},
    previewCalendar: { query: '?year=2027', body: demoCalendar },
    listTemplates: {},
    putTemplate: { params: ofTemplate, body: { subject: null, body: 'text' } },
    listTemplateHistory: { params: ofTemplate },
    previewTemplate: { params: ofTemplate, body: { body: 'text' } },
    listMessagingTemplates: {},
    getMe: {},
    listMySessions: {},
    endMySession: { params: unknownRecord() },
    endMyOtherSessions: {},
    stream: {},
  };
  return (Object.keys(call) as RouteName[]).map((name) => {
    const spec: RouteSpec = routes[name];
    return {
      name,
      spec,
      path: filled(spec.path, call[name].params ?? {}) + (call[name].query ?? ''),
      body: call[name].body,
    };
  });
}

const filled = (path: string, params: Record<string, string>) =>
  path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
