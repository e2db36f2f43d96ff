#include <locale.h>
#include <stdio.h>

int main(void)
{
    setlocale(LC_ALL, "");
    puts("handoff");
    return 0;
}
