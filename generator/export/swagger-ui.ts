import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kitFile } from '../../spec/files/kit-file.ts';

/** Returns the path of a file of Swagger UI. The package has a copy in `dist/`, and a clone has it in `node_modules`. */
export function swaggerUiFile(name: string): string {
  const built = kitFile('dist/swagger-ui');
  return join(existsSync(built) ? built : kitFile('node_modules/swagger-ui-dist'), name);
}
