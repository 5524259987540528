// Part of `npm test`: what `npm run typecheck` and eslint say. Half of eslint's rules ask the compiler for types, so the two share
// one. By itself each of them works out the types of the whole project.
import { join } from 'node:path';
import { ESLint } from 'eslint';
import ts from 'typescript';

const root = join(import.meta.dirname, '..');
const program = programOf(join(root, 'tsconfig.json'));
const errors = ts.getPreEmitDiagnostics(program);
if (errors.length > 0) {
  const host = ts.createCompilerHost(program.getCompilerOptions());
  process.stdout.write(ts.formatDiagnostics(errors, { ...host, getCurrentDirectory: () => root }));
  process.exit(1);
}

const eslint = new ESLint({
  cwd: root,
  overrideConfig: {
    files: ['**/*.ts', '**/*.mts'],
    languageOptions: { parserOptions: { projectService: false, programs: [program] } },
  },
});
const results = await eslint.lintFiles(['.']);
const { format } = await eslint.loadFormatter('stylish');
process.stdout.write(await format(results));
if (results.some(({ errorCount, warningCount }) => errorCount + warningCount > 0)) process.exitCode = 1;

/** The whole project, as the compiler and the linter read it. */
function programOf(file) {
  const config = ts.getParsedCommandLineOfConfigFile(
    file,
    {},
    { ...ts.sys, onUnRecoverableConfigFileDiagnostic: fail },
  );
  if (config.errors.length > 0) fail(config.errors[0]);
  const { fileNames, options } = config;
  return ts.createProgram(fileNames, options, ts.createCompilerHost(options, true));
}

function fail({ messageText }) {
  throw new Error(ts.flattenDiagnosticMessageText(messageText, '\n'));
}
