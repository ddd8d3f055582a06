/** The parser of Markdown, which browsers load with the first document. It imports nothing of the console. */

export { lexer } from "marked";
