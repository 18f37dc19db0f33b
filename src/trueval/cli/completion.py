"""``trueval completion``: the script that completes commands and options in a shell."""

import click

from trueval.cli.options import Command

__all__ = ["completion"]


@click.command("completion", cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print the completion script of a shell.

    For bash, put 'eval "$(trueval completion bash)"' into ~/.bashrc; for zsh the same with
    zsh into ~/.zshrc; for fish, save the output as ~/.config/fish/completions/trueval.fish.
    """
    from click.shell_completion import get_completion_class

    generator = get_completion_class(shell)
    assert generator is not None
    click.echo(generator(ctx.find_root().command, {}, "trueval", "_TRUEVAL_COMPLETE").source())


completion.examples = ("trueval completion bash > completion.sh",)
