import type { LogEvent } from '../streams/events.js';
import { CallError } from '../wire/errors.js';
import type { FilterOptions } from '../wire/stubs.js';
import { compileFilterExpression, UnsupportedExpression } from './filter-expression.js';

/**
 * The search window of a filter that names none. The checkpoint interval is counted in windows of this many events. It is EventStoreDB's
 * page size.
 */
const DEFAULT_WINDOW = 32;

/**
 * The filter that selects events of `$all`. After each `checkpointInterval` examined events, the subscriber receives the position. The
 * interval is 0 if the request has no interval, such as a plain read.
 */
export interface EventFilter {
  matches(event: Pick<LogEvent, 'stream' | 'type'>): boolean;
  readonly checkpointInterval: number;
}

/**
 * Parses the filter of a request.
 *
 * @throws CallError if the filter is invalid
 */
export function parseEventFilter(options: FilterOptions): EventFilter {
  const onStream = options.hasStreamIdentifier();
  const expression = onStream ? options.getStreamIdentifier() : options.getEventType();
  if (!expression)
    throw CallError.invalidArgument('A filter needs an expression on the stream name or the event type.');

  const window = options.hasMax() ? options.getMax() : DEFAULT_WINDOW;
  if (window < 1) throw CallError.invalidArgument('The search window of a filter must be 1 or more.');

  const test = textTest(expression.getRegex(), expression.getPrefixList());
  return {
    matches: onStream ? (event) => test(event.stream) : (event) => test(event.type),
    checkpointInterval: window * options.getCheckpointintervalmultiplier(),
  };
}

function textTest(pattern: string, prefixes: readonly string[]): (text: string) => boolean {
  if (pattern === '') {
    if (prefixes.length === 0)
      throw CallError.invalidArgument('A filter needs a regular expression or at least one prefix.');
    return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  }
  const regex = compile(pattern);
  return (text) => regex.test(text);
}

function compile(pattern: string): RegExp {
  try {
    return compileFilterExpression(pattern);
  } catch (error) {
    if (error instanceof UnsupportedExpression)
      throw CallError.invalidArgument(`In the filter's regular expression, ${error.message}.`);
    throw CallError.invalidArgument(`The filter's regular expression is not valid: ${String(error)}`);
  }
}
