// Part of `npm test`: what `npm run typecheck` and eslint say. Half of eslint's rules ask the compiler for types, so the two share
// one. By itself each of them works out the types of the whole project.
// `node test/types-and-rules.mjs <folder>…` checks the files below these folders alone. Those that they import are read.
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';

const root = process.cwd();
const folders = process.argv.slice(2);
const program = programOf(join(root, 'tsconfig.json'));
const checked = program.getRootFileNames().map((file) => program.getSourceFile(file));
const errors = [
  ...program.getOptionsDiagnostics(),
  ...program.getGlobalDiagnostics(),
  ...checked.flatMap((source) => ts.getPreEmitDiagnostics(program, source)),
];
if (errors.length > 0) {
  const host = ts.createCompilerHost(program.getCompilerOptions());
  process.stdout.write(ts.formatDiagnostics(errors, { ...host, getCurrentDirectory: () => root }));
  process.exitCode = 1;
}

const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.ts', '**/*.mts'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
});
const results = await eslint.lintFiles(folders.length > 0 ? folders : ['.']);
const { format } = await eslint.loadFormatter('stylish');
process.stdout.write(await format(results));
if (results.some(({ errorCount, warningCount }) => errorCount + warningCount > 0)) process.exitCode = 1;

/** The project, or what is below the folders, as the compiler and the linter read it. */
function programOf(file) {
  const config = ts.getParsedCommandLineOfConfigFile(
    file,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  if (config.errors.length > 0) fail(config.errors[0]);
  const { fileNames, options } = config;
  const below = folders.map((folder) => join(root, folder, '/'));
  const chosen = fileNames.filter((name) => below.some((folder) => name.startsWith(folder)));
  if (folders.length > 0 && chosen.length === 0)
    throw new Error(`There is no source below ${folders.join(' and ')}`);
  return ts.createProgram(
    folders.length > 0 ? chosen : fileNames,
    options,
    ts.createCompilerHost(options, true),
  );
}

function fail({ messageText }) {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
}
