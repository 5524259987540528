import type { Http } from './http.ts';

/** What an instance answers to one request: for a list all entries. */
export interface Answer {
  readonly path: string;
  /** Of a request that asks with one. */
  readonly body?: object;
  readonly answer: unknown;
}

/** Endpoints whose answers say nothing of what is stored, or are not to stay as they are. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  '/health': 'the state of the programs',
  '/v1/openapi.json': 'the program itself',
  '/pdf': 'made anew, and made better, of what is compared here',
  '/receipt': 'as a PDF',
  '/xml': 'as a PDF',
  '/link': 'holds a secret',
  '/deliveries': 'kept for a time alone',
};

const isLeftOut = (path: string): boolean => Object.keys(LEFT_OUT).some((part) => path.includes(part));

/** To sign in, which reading needs, is an entry of its own. */
const isOfReading = ({ action }: { action?: string }): boolean => action === 'user.signed_in';

/** Every answer that the API has to a GET request without a choice, and those to some that measure and compute. */
export async function allAnswers(http: Http): Promise<Answer[]> {
  const { paths } = (await http.get('/v1/openapi.json')) as { paths: Record<string, { get?: unknown }> };
  const templates = Object.keys(paths).filter(
    (path) => paths[path]!.get !== undefined && path.startsWith('/v1/') && !isLeftOut(path),
  );
  const answers: Answer[] = [];
  const read = async (path: string): Promise<void> => {
    const answer = await answerTo(http, { path });
    answers.push({ path, answer });
    if (!Array.isArray(answer)) return;
    // What is known by an id has answers of its own, and may be a list again.
    for (const entry of answer as { id?: unknown; version?: unknown }[])
      for (const template of templates) {
        const [, rest] = template.match(patternOf(path)) ?? [];
        if (rest !== undefined && typeof entry.id === 'string') await read(`${path}/${entry.id}${rest}`);
      }
  };
  for (const template of templates) if (!template.includes('{')) await read(template);
  for (const request of await computations(http))
    answers.push({ ...request, answer: await answerTo(http, request) });
  return answers;
}

/** The answer to a request now. */
export async function answerTo(http: Http, { path, body }: Omit<Answer, 'answer'>): Promise<unknown> {
  if (body !== undefined) return http.post(path, body);
  // Of the books: how much of the log is in them, which grows with each sign-in.
  const { position: _, ...answer } = (await http.get(path)) as Record<string, unknown>;
  if (!Array.isArray(answer['data']) || answer['hasMore'] === undefined) return answer;
  return ((await http.all(path)) as object[]).filter((entry) => !isOfReading(entry));
}

/** Of templates that name an entry of the list at `path` and nothing behind it: `/v1/invoices/{id}/credit-notes`. */
function patternOf(path: string): RegExp {
  // An id within the path stands for any placeholder.
  const segments = path.split('/').map((segment) => `(?:${segment}|\\{\\w+\\})`);
  return new RegExp(`^${segments.join('/')}/\\{\\w+\\}((?:/[\\w-]+)?)$`);
}

async function computations(http: Http): Promise<Omit<Answer, 'answer'>[]> {
  const [startTime, endTime] = ['2026-01-01T00:00:00Z', '2026-04-01T00:00:00Z'];
  const usage = (eventName: string, aggregation: object, more: object = {}) => ({
    path: '/v1/events/query',
    body: { eventName, aggregation, startTime, endTime, ...more },
  });
  const subscriptions = (await http.all('/v1/subscriptions?status=active')) as { id: string }[];
  const events = `/v1/events?start_time=${startTime}&end_time=${endTime}`;
  return [
    { path: events },
    { path: `${events}&unmatched=true` },
    usage('call', { type: 'sum', property: 'units' }),
    usage('machine', { type: 'sum', property: 'hours' }, { groupBy: ['region'] }),
    usage('storage', { type: 'max', property: 'gb' }),
    ...subscriptions.map(({ id }) => ({ path: `/v1/subscriptions/${id}/invoices/compute`, body: {} })),
  ];
}
