import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parse } from 'yaml';

/** A service of a compose file, as far as the tests look at it. */
export interface Service {
  image?: string;
  build?: { context: string; dockerfile: string; target: string };
  extends?: { file: string; service: string };
  environment?: Record<string, string>;
  depends_on?: Record<string, { condition: string }>;
  volumes?: string[];
  ports?: string[];
  healthcheck?: { test: string[] };
  command?: string[];
  read_only?: boolean;
  cap_drop?: string[];
  security_opt?: string[];
}

export interface Compose {
  services: Record<string, Service>;
  volumes?: Record<string, unknown>;
}

/** `${NAME}`, `${NAME:-default}` or `${NAME:?message}`. */
const VARIABLE = /\$\{(\w+)(?::([-?])([^}]*))?\}/g;

/** The names of the variables that a compose file asks for. */
export function variablesOf(file: string): Set<string> {
  return new Set([...readFileSync(file, 'utf8').matchAll(VARIABLE)].map(([, name]) => name!));
}

/** A compose file with its variables filled in and what its services extend merged in. Throws for one that is missing. */
export function readCompose(file: string, variables: Record<string, string>): Compose {
  const text = readFileSync(file, 'utf8').replace(
    VARIABLE,
    (_, name: string, mark: string | undefined, rest: string | undefined) => {
      const value = variables[name] || (mark === '-' ? rest : undefined);
      if (value === undefined) throw new Error(`${name} is not set: ${rest ?? ''}`);
      return value;
    },
  );
  const compose = parse(text, { merge: true }) as Compose;
  for (const [name, service] of Object.entries(compose.services)) {
    if (!service.extends) continue;
    const other = readCompose(join(dirname(file), service.extends.file), variables);
    const base = other.services[service.extends.service];
    if (!base) throw new Error(`${file}: ${name} extends ${service.extends.service}, which is not there`);
    const environment = { ...base.environment, ...service.environment };
    compose.services[name] = { ...base, ...service, environment };
  }
  return compose;
}

/** Names and values of an env file. */
export function readEnvFile(file: string): Record<string, string> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => /^\w+=/.test(line));
  return Object.fromEntries(lines.map((line) => line.split(/=(.*)/).slice(0, 2) as [string, string]));
}
