/** An instruction of a Dockerfile: `COPY`, and what stands behind it. */
export interface Instruction {
  readonly keyword: string;
  readonly text: string;
}

/** A stage of a build. */
export interface Stage {
  readonly name: string;
  /** What it is built on: an image, or another stage. */
  readonly from: string;
  readonly instructions: Instruction[];
}

/** The stages of a Dockerfile in which every stage has a name. */
export function stagesOf(dockerfile: string): Map<string, Stage> {
  const lines = dockerfile
    .replace(/^\s*#.*\n/gm, '')
    .replace(/\\\n/g, ' ')
    .split('\n')
    .filter((line) => line.trim() !== '');
  const stages = new Map<string, Stage>();
  let current: Stage | undefined;
  for (const line of lines) {
    const [, keyword, text] = /^(\w+)\s+(.*)$/.exec(line)!;
    if (keyword === 'FROM') {
      const [, from, name] = /^(\S+) AS (\S+)$/.exec(text!)!;
      current = { name: name!, from: from!, instructions: [] };
      stages.set(name!, current);
    } else current?.instructions.push({ keyword: keyword!, text: text! });
  }
  return stages;
}

/** What a stage consists of, that of the stages below it included, in the order in which it is carried out. */
export function instructionsOf(stages: Map<string, Stage>, name: string): Instruction[] {
  const stage = stages.get(name);
  return stage ? [...instructionsOf(stages, stage.from), ...stage.instructions] : [];
}

/** The last text behind a keyword: the one that counts of `USER`, `CMD` and the like. */
export function lastOf(instructions: readonly Instruction[], keyword: string): string | undefined {
  return instructions.findLast((one) => one.keyword === keyword)?.text;
}

/** The variables that `ENV` sets. */
export function environmentOf(instructions: readonly Instruction[]): Record<string, string> {
  const pairs = instructions
    .filter(({ keyword }) => keyword === 'ENV')
    .flatMap(({ text }) => text.trim().split(/\s+/))
    .map((pair) => pair.split('=') as [string, string]);
  return Object.fromEntries(pairs);
}
