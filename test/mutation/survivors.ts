import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { MutantResult } from '@stryker-mutator/api/core';

/** Mutants of one line of a source that no test can find, and why. */
interface Explanation {
  /** The text of the line where they begin. */
  readonly line: string;
  /** `original → replacement`, as the run prints them. */
  readonly mutants: readonly string[];
  readonly reason: string;
}

/** By file. */
export type Explanations = Readonly<Record<string, readonly Explanation[]>>;

/** A mutant that all tests passed with, or that no test reaches. */
export interface Survivor {
  readonly file: string;
  /** From 1. */
  readonly lineNumber: number;
  readonly line: string;
  readonly mutant: string;
  readonly reached: boolean;
}

const MAX_TEXT = 100;

/** The survivors among the results, in the order of the sources. */
export function survivorsOf(results: readonly MutantResult[], root: string): Survivor[] {
  return results
    .filter(({ status }) => status === 'Survived' || status === 'NoCoverage')
    .map((result) => survivorOf(result, root))
    .sort((a, b) => a.file.localeCompare(b.file) || a.lineNumber - b.lineNumber);
}

function survivorOf({ fileName, location, replacement, status }: MutantResult, root: string): Survivor {
  const { start, end } = location;
  const lines = readFileSync(fileName, 'utf8')
    .split('\n')
    .slice(start.line - 1, end.line);
  const [line] = lines;
  // The last line first: it may be the first one too.
  lines.push(lines.pop()!.slice(0, end.column - 1));
  lines.unshift(lines.shift()!.slice(start.column - 1));
  return {
    file: relative(root, fileName),
    lineNumber: start.line,
    line: line!.trim(),
    mutant: `${short(lines.join('\n'))} → ${short(replacement ?? '')}`,
    reached: status === 'Survived',
  };
}

/** On one line, and cut if it is long. */
function short(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim();
  return line.length > MAX_TEXT ? `${line.slice(0, MAX_TEXT)}…` : line;
}

/** Whether a survivor is explained. */
export function isExplained({ file, line, mutant }: Survivor, explanations: Explanations): boolean {
  return (explanations[file] ?? []).some((one) => one.line === line && one.mutants.includes(mutant));
}

/** The explanations of the files that explain nothing any more: the mutant is found, or its line has changed. */
export function needlessIn(
  explanations: Explanations,
  files: ReadonlySet<string>,
  survivors: readonly Survivor[],
): string[] {
  return Object.entries(explanations)
    .filter(([file]) => files.has(file))
    .flatMap(([file, list]) =>
      list.flatMap(({ line, mutants }) =>
        mutants
          .filter(
            (mutant) =>
              !survivors.some((one) => one.file === file && one.line === line && one.mutant === mutant),
          )
          .map((mutant) => `${file}: ${line}: ${mutant}`),
      ),
    );
}
