import { readFile, rename, writeFile } from 'node:fs/promises';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { openApiDocumentWithoutDatabases } from '#apps/api';
import { newUlid, type Settings } from '#libs/kernel/system';
import type { ApiBody, ApiDocument, ApiSchema } from '../openapi.ts';

/** An answer of the API, as far as it is judged. */
export interface JudgedAnswer {
  /** The request: its method, and the address with the query. */
  readonly request: unknown;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text?: string;
  /** The content as a value, if it is JSON. */
  readonly body: unknown;
}

/** What is wrong with an answer; undefined if it is as the OpenAPI document has it. */
export type Judge = (answer: JudgedAnswer) => string | undefined;

let judge: Promise<Judge> | undefined;

/** The judge of this worker. Test files share it, since it takes a second to make. */
export function judgeOfAnswers(settings: Settings): Promise<Judge> {
  return (judge ??= makeJudge(settings));
}

/**
 * Holds answers against the OpenAPI document: whether their status is documented, and their body is as described, without a field that
 * nobody is told of. An answer to what is no operation is not judged. The document is made once in a test run, in the file that
 * OPENAPI_OF_TESTS names. Without one no answer is judged.
 */
async function makeJudge(settings: Settings): Promise<Judge> {
  const path = process.env['OPENAPI_OF_TESTS'];
  if (path === undefined) return () => undefined;
  const document = await documentOfRun(path, settings);
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: false });
  ajv.addSchema(closed(document), 'api');
  const operations = Object.entries(document.paths).map(([template, methods]) => ({
    pattern: new RegExp(`^${template.replace(/\{[^}]+\}/g, '[^/]+')}$`),
    template,
    methods,
  }));
  const validators = new Map<string, ValidateFunction>();

  return (answer) => {
    const { method, url } = answer.request as { method: string; url: string };
    const path = new URL(url).pathname;
    const verb = method.toLowerCase();
    const found =
      operations.find(({ template }) => template === path) ??
      operations.find(({ pattern, methods }) => pattern.test(path) && verb in methods);
    const operation = found?.methods[verb];
    if (!found || !operation) return undefined;
    const place = `${method} ${found.template} → ${answer.status}`;
    const described = operation.responses[String(answer.status)];
    if (!described) return `${place} is not documented: ${answer.text?.slice(0, 300)}`;
    const { content = {} } = bodyOf(described, document);
    const type = answer.headers['content-type']?.split(';')[0] ?? '';
    const pointer = ['paths', found.template, verb, 'responses', String(answer.status)];
    const base = described.$ref ?? `#/${pointer.map(escaped).join('/')}`;
    if (type === '' && Object.keys(content).length === 0) return undefined;
    if (!content[type]) return `${place} is not documented to be ${type || 'empty'}`;
    if (type !== 'application/json' || !content[type].schema) return undefined;
    const key = `api${base}/content/application~1json/schema`;
    const validate = validators.get(key) ?? ajv.compile({ $ref: key });
    validators.set(key, validate);
    if (validate(answer.body)) return undefined;
    return `${place}: ${ajv.errorsText(validate.errors)} ${JSON.stringify(validate.errors?.map(({ params }) => params))}`;
  };
}

const escaped = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

function bodyOf(body: ApiBody, { components }: ApiDocument): ApiBody {
  if (body.$ref === undefined) return body;
  return components.responses[body.$ref.replace('#/components/responses/', '')]!;
}

/** The document, with no other fields in an answer than those that it has. To clients answers are open: fields may be added later. */
function closed(document: ApiDocument): ApiDocument {
  const close = (_: string, value: ApiSchema): unknown =>
    value?.properties && value.type === 'object' && value.additionalProperties === undefined
      ? { ...value, additionalProperties: false }
      : value;
  return JSON.parse(
    JSON.stringify(document),
    close as (key: string, value: unknown) => unknown,
  ) as ApiDocument;
}

async function documentOfRun(path: string, settings: Settings): Promise<ApiDocument> {
  const kept = await readFile(path, 'utf8').catch(() => undefined);
  if (kept !== undefined) return JSON.parse(kept) as ApiDocument;
  const text = JSON.stringify(await openApiDocumentWithoutDatabases(settings));
  const draft = `${path}.${newUlid()}`;
  await writeFile(draft, text);
  await rename(draft, path);
  return JSON.parse(text) as ApiDocument;
}
